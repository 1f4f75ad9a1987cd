//! Sixteen numbers at once. One file for each instruction set, with the same names in it; which one
//! is compiled follows from the target.
//!
//! Every lane is rounded as the same operation on one number is, so that results are the same bits
//! on every machine that multiplies and adds in one step (`array` does not where the target cannot).

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")))]
mod array;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    not(target_feature = "avx512f")
))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "fma"))]
mod avx512;

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma")))]
pub(super) use array::Lanes;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "fma",
    not(target_feature = "avx512f")
))]
pub(super) use avx2::Lanes;
#[cfg(all(target_arch = "x86_64", target_feature = "avx512f", target_feature = "fma"))]
pub(super) use avx512::Lanes;

#[cfg(test)]
mod tests {
    use super::Lanes;

    #[test]
    fn every_lane_is_computed_as_one_number_is() {
        let a: [f32; 16] = std::array::from_fn(|n| n as f32 * 0.3 - 2.0);
        let b: [f32; 16] = std::array::from_fn(|n| 1.5 - n as f32 * 0.17);
        let check = |lanes: Lanes, expected: [f32; 16]| {
            let mut found = [0.0; 16];
            lanes.store(&mut found);
            assert_eq!(found, expected);
        };
        let each = |f: fn(f32, f32) -> f32| std::array::from_fn(|n| f(a[n], b[n]));
        let (x, y) = (Lanes::load(&a), Lanes::load(&b));
        check(x.add(y), each(|a, b| a + b));
        check(x.clip(), each(|a, _| a.clamp(0.0, 1.0)));
        check(Lanes::splat(2.5), [2.5; 16]);
        let mut holes = a;
        (holes[3], holes[9], holes[15]) = (0.0, -0.0, 0.0);
        assert_eq!(Lanes::load(&holes).nonzero(), !(1 << 3 | 1 << 9 | 1 << 15));
        if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
            check(y.add_product(x, x), each(|a, b| a.mul_add(a, b)));
        }
    }
}
