internal import CImageCodecs

/// 16-bit samples for intermediate results: in linear light, or multiplied by alpha.
extension Plane {
    /// The samples at 16 bits: converted to linear light if `linear`, then multiplied by an alpha plane of the same
    /// depth.
    func widened(alpha: Plane? = nil, linear: Bool = false) throws(ImagingError) -> Plane {
        let deep = try sibling(sampleBytes: 2)
        ([self, deep] + (alpha.map { [$0] } ?? [])).withCPlanes {
            nb_widen([$0[0]], alpha == nil ? nil : [$0[2]], linear ? 1 : 0, [$0[1]])
        }
        return deep
    }

    /// The inverse: divided by a 16-bit alpha plane, then converted back to sRGB's curve.
    func narrowed(alpha: Plane? = nil, linear: Bool = false, sampleBytes: Int) throws(ImagingError) -> Plane {
        let plane = try sibling(sampleBytes: sampleBytes)
        ([self, plane] + (alpha.map { [$0] } ?? [])).withCPlanes {
            nb_narrow([$0[0]], alpha == nil ? nil : [$0[2]], linear ? 1 : 0, [$0[1]])
        }
        return plane
    }
}
