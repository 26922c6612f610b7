1 |f:x a
-1 |f b
