"""Waking whom a post mentioned: the decision, the reservation, the port to a pane."""
