"""Runnable proofs against real programs."""
