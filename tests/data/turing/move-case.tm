a 0 1 r a
