"""The rig of `make validate`, as far as it can be tested without a real harness."""
