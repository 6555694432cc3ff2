"""The demo: the main job from nothing, on real programs, without an account."""
