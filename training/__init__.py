"""How the weights of `leadline.reader` are made and measured; no part of the wheel."""
