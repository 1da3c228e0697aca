//! mih-rs under the protocol of bench: peer DATA QUERIES K [BLOCKS]
//!
//! DATA and QUERIES are 64-bit little-endian integers. Prints one JSON object.

use std::os::unix::process::CommandExt;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

/// Processor time of this process in seconds, on Linux.
fn processor_time() -> f64 {
    const CLOCK_PROCESS_CPUTIME_ID: i32 = 2;
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    assert_eq!(unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut t) }, 0);
    t.seconds as f64 + t.nanoseconds as f64 / 1e9
}

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

    let Some(blocks) = args.get(4) else {
        // A process of its own measures with the number of blocks that is fastest for a few queries, so that nothing of these is left.
        let few = &queries[..queries.len().div_ceil(20)];
        let time_of = |&blocks: &usize| {
            let index = mih_rs::Index::with_blocks(data.clone(), blocks).expect("an index");
            (0..3).map(|_| time(&index, few, k).query).fold(f64::INFINITY, f64::min) // the first one waits for the memory
        };
        let timed: Vec<(f64, usize)> = numbers_of_blocks(n).iter().map(|b| (time_of(b), *b)).collect();
        let best = timed.iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("a number of blocks").1;
        let failed = std::process::Command::new(&args[0]).args(&args[1..]).arg(best.to_string()).exec();
        panic!("{failed}");
    };
    let blocks: usize = blocks.parse().expect("a number of blocks");
    let before = resident();
    let start = processor_time();
    let index = mih_rs::Index::with_blocks(data, blocks).expect("an index");
    let build = processor_time() - start;
    let bytes = resident().saturating_sub(before) as f64 / n as f64 + 8.0; // the values moved in

    let Timed { query, matches, checksum } = time(&index, &queries, k);
    println!(
        "{{\"build_s\":{build:.3},\"single_us\":{query:.4},\"bytes\":{bytes:.1},\"matches\":{matches},\"checksum\":\"{checksum:016x}\",\"note\":\"{blocks} blocks\"}}"
    );
}

/// The number of blocks that the library chooses itself, and those beside it; where there are more than 2 * 10^7 values, the first alone.
fn numbers_of_blocks(n: usize) -> Vec<usize> {
    let own = ((64.0 / (n as f64).log2()).round() as usize).max(2);
    if n > 20_000_000 {
        return vec![own];
    }
    ((own - 1).max(2)..=own + 2).collect()
}

struct Timed {
    query: f64, // microseconds
    matches: u64,
    checksum: u64,
}

/// Answers queries one after the other.
fn time(index: &mih_rs::Index<u64>, queries: &[u64], k: usize) -> Timed {
    let mut searcher = index.range_searcher();
    let (mut matches, mut checksum) = (0u64, 0u64);
    let start = processor_time();
    for (i, &q) in queries.iter().enumerate() {
        for &id in searcher.run(q, k) {
            matches += 1;
            checksum = checksum.wrapping_add(mix((i as u64) << 32 | id as u64));
        }
    }
    let query = (processor_time() - start) / queries.len() as f64 * 1e6;
    Timed { query, matches, checksum }
}
