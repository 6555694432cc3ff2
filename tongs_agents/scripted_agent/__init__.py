"""The scripted agent: a terminal program that behaves as coding agents do at every seam.

What it does is written in its prompt (``script``); where it misbehaves is an option
(``options``). It reaches no model and no network.
"""
