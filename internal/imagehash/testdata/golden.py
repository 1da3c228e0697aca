"""Makes the pictures beside this file and golden.json, with Pillow, NumPy, SciPy and ImageHash.

    python golden.py FIRST.png SECOND.png THIRD.png

The arguments are any three pictures. "box" has the hashes by their definitions in imagehash.go, computed here with
floating-point numbers from Pillow's pixels; "library" those of ImageHash, which scales with the Lanczos filter.
"""
import json, sys
from pathlib import Path

import imagehash
import numpy as np
import scipy.fft
from PIL import Image, ImageOps

here = Path(__file__).parent


def cells(levels, columns, rows):
    """The means of the cells, by drawing out every pixel into columns times rows parts."""
    height, width = levels.shape
    drawn = np.repeat(np.repeat(levels.astype(float), columns, axis=1), rows, axis=0)
    return drawn.reshape(rows, height, columns, width).mean(axis=(1, 3))


def number(bits):
    return f"{int(''.join('1' if b else '0' for b in np.asarray(bits).flatten()), 2):016x}"


def levels(picture):
    picture = ImageOps.exif_transpose(picture)
    if picture.mode in ("RGBA", "LA", "PA", "P"):
        picture = picture.convert("RGBA")
        white = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(white, picture).convert("RGB")
    return np.asarray(picture.convert("L"))


def golden(path):
    picture = Image.open(path)
    light = levels(picture)
    d = cells(light, 9, 8)
    c = scipy.fft.dct(scipy.fft.dct(cells(light, 32, 32), axis=0), axis=1)[:8, :8]
    plain = Image.fromarray(light)
    return {
        "box": {"difference": number(d[:, 1:] > d[:, :-1]), "dct": number(c > np.median(c))},
        "library": {"difference": str(imagehash.dhash(plain)), "dct": str(imagehash.phash(plain))},
    }


def main(first, second, third):
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
    found = {}
    for path in sorted(here.iterdir()):
        if path.suffix in (".png", ".gif", ".webp", ".jpg"):
            found[path.name] = golden(path)
    (here / "golden.json").write_text(json.dumps(found, indent=1) + "\n")


main(*sys.argv[1:])
