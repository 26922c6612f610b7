1 |f a
-1 -2 |f b
