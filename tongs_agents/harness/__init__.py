"""All that is particular to one kind of agent program, one file each."""
