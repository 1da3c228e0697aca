// The compiler takes functions without a body only where a package has assembly. On processors without any, this file is it.
