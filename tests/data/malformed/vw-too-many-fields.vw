1 1 0 7 |f a
-1 |f b
