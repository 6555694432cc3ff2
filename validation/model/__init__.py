"""A scripted loopback model server: what it answers rides in the prompt."""
