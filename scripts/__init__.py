"""Programs that keep this repository in order."""
