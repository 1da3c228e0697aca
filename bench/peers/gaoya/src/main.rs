//! gaoya under the protocol of bench/joins: peer SETS THRESHOLD THREADS PAIRS
//!
//! Writes the pairs of sets at or above the threshold, and prints one JSON object. Bands are those that the
//! crate computes for 128 functions. Candidates are verified by merging the sets.

use gaoya::minhash::{calculate_minhash_params, MinHashIndex, MinHasher, MinHasher32, VecContainer};
use rayon::prelude::*;
use std::cmp::Ordering;
use std::time::Instant;

const FUNCTIONS: usize = 128;

/// Reads the number of sets, where each begins and ends, and their features.
fn read(path: &str) -> Vec<Vec<u64>> {
    let bytes = std::fs::read(path).expect("readable file");
    let at = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap());
    let n = at(0) as usize;
    let features = n + 2;
    (0..n)
        .map(|i| (at(1 + i)..at(2 + i)).map(|j| at(features + j as usize)).collect())
        .collect()
}

/// The value of a line of /proc/self/status in bytes.
fn status(name: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|s| s.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// The seconds that all threads of this process have spent computing.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = after_name.split_whitespace().skip(11).take(2).filter_map(|s| s.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                shared += 1;
                i += 1;
                j += 1;
            }
        }
    }
    shared as f64 / (a.len() + b.len() - shared) as f64
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threshold: f64 = args[2].parse().expect("a threshold");
    let threads: usize = args[3].parse().expect("a number of threads");
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().expect("threads");
    let sets = read(&args[1]);
    let loaded = status("VmRSS:");
    let _ = std::fs::write("/proc/self/clear_refs", "5"); // the peak from here on

    let (start, worked) = (Instant::now(), processor());
    let (bands, rows) = calculate_minhash_params(threshold, FUNCTIONS);
    let hasher = MinHasher32::new(bands * rows);
    // The index leaves out candidates by their estimates. It is to keep those within four standard errors.
    let doubt = 4.0 * (threshold * (1.0 - threshold) / (bands * rows) as f64).sqrt();
    let mut index: MinHashIndex<u32, u32, VecContainer<u32>> =
        MinHashIndex::new_with_capacity(bands, rows, (threshold - doubt).max(0.0), sets.len(), 0.0);
    index.par_bulk_insert((0..sets.len() as u32).collect(), hasher.bulk_create_signature(&sets));
    let pairs: Vec<[u32; 2]> = (0..sets.len() as u32)
        .into_par_iter()
        .flat_map_iter(|x| {
            let near: Vec<[u32; 2]> = index
                .query_by_id(&x)
                .into_iter()
                .filter(|&&y| x < y && jaccard(&sets[x as usize], &sets[y as usize]) >= threshold)
                .map(|&y| [x, y])
                .collect();
            near
        })
        .collect();
    let seconds = start.elapsed().as_secs_f64();
    let work = processor() - worked;
    let peak = status("VmHWM:");
    let bytes: Vec<u8> = pairs.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(&args[4], bytes).expect("writable file");
    println!("{{\"seconds\":{seconds:.4},\"processor\":{work:.2},\"loaded\":{loaded},\"peak\":{peak},\"note\":\"{bands} bands of {rows}\"}}");
}
