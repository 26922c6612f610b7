a 0 1 [31mR halt
