1 |f a
-1 two |f b
