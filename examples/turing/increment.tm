# Adds one to a binary number: to its right end, then back as long as there is a carry.
# tlu logic run --turing increment.tm --tape 1011
start right
right 0 0 R right
right 1 1 R right
right _ _ L carry
carry 1 0 L carry
carry 0 1 S halt
carry _ 1 S halt
