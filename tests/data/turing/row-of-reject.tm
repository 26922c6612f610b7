reject 0 0 L a
