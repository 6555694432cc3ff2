"""What a healthy set-up looks like, check by check, each with its remedy."""
