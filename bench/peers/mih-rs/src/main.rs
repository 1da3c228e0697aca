//! mih-rs under the protocol of bench: peer DATA QUERIES K
//!
//! DATA and QUERIES are 64-bit little-endian integers. Prints one JSON object.

use std::time::Instant;

fn read(path: &str) -> Vec<u64> {
    let bytes = std::fs::read(path).expect("readable file");
    bytes
        .chunks_exact(8)
        .map(|c| u64::from_le_bytes(c.try_into().unwrap()))
        .collect()
}

/// The finalizer of splitmix64, which the other peers use as well.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d049bb133111eb);
    x ^ (x >> 31)
}

/// Resident memory of this process in bytes.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1).and_then(|s| s.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (data, queries) = (read(&args[1]), read(&args[2]));
    let k: usize = args[3].parse().expect("a distance");
    let n = data.len();

    let before = resident();
    let start = Instant::now();
    let index = mih_rs::Index::new(data).expect("an index");
    let build = start.elapsed().as_secs_f64();
    let bytes = resident().saturating_sub(before) as f64 / n as f64 + 8.0; // the values moved in

    let mut searcher = index.range_searcher();
    let (mut matches, mut checksum) = (0u64, 0u64);
    let start = Instant::now();
    for (i, &q) in queries.iter().enumerate() {
        for &id in searcher.run(q, k) {
            matches += 1;
            checksum = checksum.wrapping_add(mix((i as u64) << 32 | id as u64));
        }
    }
    let query = start.elapsed().as_secs_f64() / queries.len() as f64 * 1e6;
    println!(
        "{{\"build_s\":{build:.3},\"single_us\":{query:.4},\"bytes\":{bytes:.1},\"matches\":{matches},\"checksum\":\"{checksum:016x}\"}}"
    );
}
