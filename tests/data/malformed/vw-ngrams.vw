1 |f a
-1 |f b
