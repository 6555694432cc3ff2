"""The tests: they mirror the packages, and run on real multiplexers of their own."""
