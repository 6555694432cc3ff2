"""Chat between launches: the store below, who is who from the panes, the audit of both."""
