a 0 1 R b
b 0 1 L dne
