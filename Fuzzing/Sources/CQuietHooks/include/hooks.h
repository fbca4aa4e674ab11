// Nothing is called by name.
