"""Real multiplexers behind the one seam."""
