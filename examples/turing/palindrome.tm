# Accepts the palindromes of a and b: erases the first symbol, goes to the last, which must be the
# same, erases it too, and comes back.
# tlu logic run --turing palindrome.tm --tape abba
start first
first a _ R right-a
first b _ R right-b
first _ _ S accept      # nothing is left
right-a a a R right-a
right-a b b R right-a
right-a _ _ L last-a
right-b a a R right-b
right-b b b R right-b
right-b _ _ L last-b
last-a a _ L left
last-a b b S reject
last-a _ _ S accept     # it was the symbol in the middle
last-b a a S reject
last-b b _ L left
last-b _ _ S accept
left a a L left
left b b L left
left _ _ R first
