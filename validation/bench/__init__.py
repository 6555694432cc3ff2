"""The speed of the product, measured beside the floors in perf.md, as ratios in one run."""
