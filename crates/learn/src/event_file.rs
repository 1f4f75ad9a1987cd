//! Event files of TensorBoard: TFRecords of protocol buffers, written by hand.
//!
//! A record is the length of its data (u64), the checksum of the length, the data, and their checksum, a
//! masked CRC-32C. Of the message `Event` we need wall time (1), step (2), file version (3), summary (5) and
//! session log (7); of a `Summary` its values (1) with tag (1) and number (2).
//! (<https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto>)

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};

use crate::TrainError;

/// What names of our event files end with.
const SUFFIX: &str = ".tabiya";
/// `SessionLog.START`.
const START: u64 = 1;

/// An event file in a directory. Earlier ones of ours are emptied, because a log is written from its first line.
///
/// The file begins with the start of a session, so that a TensorBoard that is open forgets what it has read.
/// Emptied files stay: it would wait for a removed one.
#[derive(Debug)]
pub struct EventFile {
    path: PathBuf,
    file: File,
}

impl EventFile {
    /// Creates an event file.
    pub fn create(folder: &Path) -> Result<Self, TrainError> {
        fs::create_dir_all(folder).map_err(TrainError::io("create directory", folder))?;
        let fail = || TrainError::io("read", folder);
        let mut old = Vec::new();
        for entry in folder.read_dir().map_err(fail())? {
            let path = entry.map_err(fail())?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.contains("tfevents") && name.ends_with(SUFFIX) {
                old.push(path);
            }
        }
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        // TensorBoard reads files in the order of their names.
        let name = format!("events.out.tfevents.{time:020}.{}{SUFFIX}", std::process::id());
        let path = folder.join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let mut events =
            Self { file: file.map_err(TrainError::io("create", &path))?, path: path.clone() };
        let start = [field(3, b"brain.Event:2"), field(7, &[&[8], &varint(START)[..]].concat())];
        for content in start {
            events.write(0, &content)?;
        }
        for path in old {
            let file = OpenOptions::new().write(true).open(&path);
            file.and_then(|file| file.set_len(0)).map_err(TrainError::io("write", &path))?;
        }
        Ok(events)
    }

    /// Appends scalars by their tags.
    pub fn scalars(&mut self, step: u64, values: &[(String, f64)]) -> Result<(), TrainError> {
        let mut summary = Vec::new();
        for (tag, value) in values {
            let mut number = field(1, tag.as_bytes());
            number.push(0x15);
            number.extend((*value as f32).to_le_bytes());
            summary.extend(field(1, &number));
        }
        self.write(step, &field(5, &summary))
    }

    fn write(&mut self, step: u64, content: &[u8]) -> Result<(), TrainError> {
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        // One call, so that a kill leaves whole records.
        self.file.write_all(&record(step, time, content)).map_err(self.fail())
    }

    fn fail(&self) -> impl FnOnce(io::Error) -> TrainError {
        TrainError::io("write", &self.path)
    }
}

/// The numbers of a line of a log, by their names with a group: `train/loss`, `validation/loss`.
///
/// A validation may have a line of its own; its positions seen are those of the step.
///
/// ```
/// use tabiya_learn::event_file::tags;
/// let names = |line: serde_json::Value| {
///     tags(line.as_object().unwrap()).into_iter().map(|(tag, _)| tag).collect::<Vec<_>>()
/// };
/// let line = serde_json::json!({ "step": 2, "positions": 64, "loss": 0.5, "validation": 0.4 });
/// assert_eq!(names(line), ["train/loss", "train/positions", "validation/loss"]);
/// let line = serde_json::json!({ "step": 2, "positions": 64, "validation_loss": 0.4, "top1": 0.3 });
/// assert_eq!(names(line), ["validation/loss", "validation/top1"]);
/// ```
pub fn tags(line: &Map<String, Value>) -> Vec<(String, f64)> {
    const PREFIX: &str = "validation_";
    let is_validation = line.keys().any(|name| name.starts_with(PREFIX));
    let mut tags: Vec<(String, f64)> = Vec::new();
    for (name, value) in line {
        let Some(value) = value.as_f64() else { continue };
        let tag = match name.as_str() {
            "step" => continue,
            "positions" if is_validation => continue,
            name if is_validation => {
                format!("validation/{}", name.strip_prefix(PREFIX).unwrap_or(name))
            }
            "validation" => "validation/loss".to_owned(),
            name => format!("train/{name}"),
        };
        tags.push((tag, value));
    }
    tags.sort_by(|a, b| a.0.cmp(&b.0));
    tags
}

/// An event as a record.
fn record(step: u64, time: f64, content: &[u8]) -> Vec<u8> {
    let mut data = vec![0x09];
    data.extend(time.to_le_bytes());
    data.push(0x10);
    data.extend(varint(step));
    data.extend(content);
    let length = (data.len() as u64).to_le_bytes();
    let [of_length, of_data] = [&length[..], &data].map(|bytes| masked_crc(bytes).to_le_bytes());
    [&length[..], &of_length, &data, &of_data].concat()
}

/// A field of bytes: text or a message.
fn field(number: u64, data: &[u8]) -> Vec<u8> {
    [&varint(number << 3 | 2), &varint(data.len() as u64)[..], data].concat()
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 & 0x7f | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0x82f6_3b78 } else { 0 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

const TABLE: [u32; 256] = crc_table();

/// CRC-32C (Castagnoli).
fn crc32c(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |crc, &byte| crc >> 8 ^ TABLE[usize::from(crc as u8 ^ byte)])
}

fn masked_crc(data: &[u8]) -> u32 {
    crc32c(data).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        // RFC 3720, B.4.
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        assert_eq!(varint(300), [0xac, 2]);
    }

    #[test]
    fn a_new_file_empties_the_old_ones_of_ours_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("board");
        let mut first = EventFile::create(&path).unwrap();
        first.scalars(1, &[("train/loss".into(), 0.5)]).unwrap();
        fs::write(path.join("events.out.tfevents.1.other"), b"of another program").unwrap();
        let bytes = fs::read(&first.path).unwrap();
        // Length, its checksum, and the version of the file first.
        assert_eq!(u64::from_le_bytes(*bytes.first_chunk().unwrap()), 26);
        assert!(bytes.windows(13).any(|part| part == b"brain.Event:2"));
        assert!(bytes.windows(10).any(|part| part == b"train/loss"));
        let second = EventFile::create(&path).unwrap();
        assert!(second.path > first.path);
        assert_eq!(fs::metadata(&first.path).unwrap().len(), 0);
        assert_eq!(fs::read(path.join("events.out.tfevents.1.other")).unwrap().len(), 18);
    }
}
