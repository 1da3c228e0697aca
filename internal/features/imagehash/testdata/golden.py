"""Makes golden.json, with Pillow 11.3.0, ImageHash 4.3.2, NumPy and SciPy.

    python golden.py [FIRST.png SECOND.png THIRD.png]

With arguments, any three pictures, it first makes the pictures beside this file. golden.json has of each picture its two
hashes by ImageHash, and the levels to which Pillow's Lanczos filter makes it small. "noise" has the same of pictures that
the test makes, too, of many sizes.
"""
import json, sys
from pathlib import Path

import imagehash
import numpy as np
from PIL import Image, ImageOps

here = Path(__file__).parent


def levels(picture):
    picture = ImageOps.exif_transpose(picture)
    if picture.mode in ("RGBA", "LA", "PA", "P"):
        picture = picture.convert("RGBA")
        white = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(white, picture).convert("RGB")
    return picture.convert("L")


def golden(light):
    small = lambda size: light.resize(size, Image.Resampling.LANCZOS).tobytes().hex()
    return {
        "difference": str(imagehash.dhash(light)), "dct": str(imagehash.phash(light)),
        "9x8": small((9, 8)), "32x32": small((32, 32)),
    }


def noise(width, height):
    """Levels of a linear congruential generator, on blocks of 5 by 3 pixels."""
    state, blocks = 1, []
    for _ in range((height + 2) // 3 * ((width + 4) // 5)):
        state = (state * 1103515245 + 12345) % 2**31
        blocks.append(state >> 23)
    grid = np.array(blocks, np.uint8).reshape((height + 2) // 3, (width + 4) // 5)
    return Image.fromarray(np.repeat(np.repeat(grid, 3, axis=0), 5, axis=1)[:height, :width].copy())


def draw(first, second, third):
    a, b, c = (Image.open(p).convert("RGB") for p in (first, second, third))
    a.save(here / "colour.png")
    b.convert("L").save(here / "grey.png")
    c.convert("P").save(here / "palette.gif")
    seen = np.asarray(b.convert("RGBA")).copy()
    seen[..., 3] = np.linspace(0, 255, seen.shape[1]).astype(np.uint8)
    Image.fromarray(seen).save(here / "transparent.png")
    Image.fromarray(seen).save(here / "transparent.webp", lossless=True)
    a.save(here / "lossy.webp", quality=80)
    a.save(here / "baseline.jpg", quality=80)
    a.save(here / "progressive.jpg", quality=80, progressive=True)
    c.convert("CMYK").save(here / "four.jpg", quality=90)
    exif = Image.Exif()
    for way in range(2, 9):
        exif[0x0112] = way
        b.resize((45, 60)).save(here / f"turned{way}.jpg", quality=90, exif=exif)
    Image.new("RGB", (40, 30), "white").save(here / "white.png")
    (here / "coded").mkdir(exist_ok=True)
    a.save(here / "coded/restarts.jpg", quality=80, restart_marker_blocks=3)
    a.save(here / "coded/full.jpg", quality=95, subsampling=0, optimize=True)
    a.save(here / "coded/wide.jpg", quality=70, subsampling=1)
    b.convert("L").save(here / "coded/grey.jpg", quality=85)


if len(sys.argv) > 1:
    draw(*sys.argv[1:])
files = [p for p in sorted(here.iterdir()) if p.suffix in (".png", ".gif", ".webp", ".jpg")]
sizes = [(1, 1), (1, 40), (9, 8), (10, 8), (32, 32), (33, 31), (100, 77), (640, 3), (7, 500), (301, 77), (301, 433), (1280, 720)]
found = {
    "files": {p.name: golden(levels(Image.open(p))) for p in files},
    "noise": {f"{w}x{h}": golden(noise(w, h)) for w, h in sizes},
}
(here / "golden.json").write_text(json.dumps(found, indent=1) + "\n")
