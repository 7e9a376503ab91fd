package embedded

// freeSpace is unknown on Windows.
func freeSpace(string) (int64, bool) { return 0, false }

// syncFolder does nothing on Windows.
func syncFolder(string) error { return nil }
