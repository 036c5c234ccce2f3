"""Tables, figures, findings and pages, made from rows alone."""
