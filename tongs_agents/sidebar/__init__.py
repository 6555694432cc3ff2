"""What a person looks at: widgets in Textual, one a file; they know no store and no panes."""
