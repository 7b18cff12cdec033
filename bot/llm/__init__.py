"""Models behind one interface. Vendor words stay here."""
