//! Times the crate simhash: peer TEXTS, a file of texts, each behind its length as 32-bit little-endian integer.
//!
//! The crate splits at white space, and neither folds case nor drops punctuation or stop words. Reading is not timed. Prints
//! {"seconds": ..., "documents": ..., "checksum": ...} as JSON, the least time of three rounds.

use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("a file of texts");
    let bytes = std::fs::read(path).expect("a readable file");
    let mut texts = Vec::new();
    let mut rest = &bytes[..];
    while rest.len() >= 4 {
        let (length, behind) = rest.split_at(4);
        let (text, next) = behind.split_at(u32::from_le_bytes(length.try_into().unwrap()) as usize);
        texts.push(String::from_utf8_lossy(text).into_owned());
        rest = next;
    }
    let mut best = f64::INFINITY;
    let mut checksum = 0;
    for _ in 0..3 {
        let start = Instant::now();
        checksum = texts.iter().fold(0, |sum, text| sum ^ simhash::simhash(text));
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{{\"seconds\": {best}, \"documents\": {}, \"checksum\": \"{checksum:016x}\"}}", texts.len());
}
