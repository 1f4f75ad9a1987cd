//! Chess networks: features, file formats, accumulators, inference.
