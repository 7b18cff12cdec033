"""WhatsApp through Twilio: forms in, requests out. Vendor words stay here."""
