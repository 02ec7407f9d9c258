import Imaging

/// The size and depth at which an original is decoded for a plan, and the memory that this takes.
struct DecodeNeed: Sendable {
    /// The size that covers every output; nil if one needs every pixel, of which a drawing has those of its own size.
    let covering: PixelSize?
    /// Bits of a sample: 16 if an output keeps more than 8.
    let bitDepth: Int
    /// The memory that the decode takes, in bytes.
    let decodeBytes: Int
    /// An upper bound of the bytes held at once by the decode, or by the decode and the work on one output.
    let bytes: Int

    /// Computes the need of a plan; nil if it needs no pixels.
    ///
    /// A decode that only `checksEnd` of the file needs as few as there may be.
    ///
    /// An unusual file is one that cannot be decoded in the memory that its header leads to expect.
    init?(
        _ plan: OutputPlan,
        _ header: ImageHeader,
        isUnusual: Bool = false,
        checksEnd: Bool = false
    ) throws(ImagingError) {
        let made = plan.recipes.filter { $0.needsPixels(of: header) }
        let conversions = made.compactMap { $0.conversion(of: header) }
        let drawn = made.filter { $0.conversion(of: header) == nil }
        let chains = drawn.map { $0.chain(of: header) } + plan.facts.chains(of: header)
        // The first frame of an animation is decoded as a still image, however small, to see that it is one.
        guard !chains.isEmpty || !conversions.isEmpty || checksEnd else { return nil }
        covering = try Self.covering(chains, header)
        bitDepth = drawn.contains { $0.encodings(of: header).contains(where: \.keepsDepth) } ? 16 : 8
        decodeBytes =
            isUnusual
            ? header.largestDecodeCost(covering: covering, bitDepth: bitDepth)
            : header.decodeCost(covering: covering, bitDepth: bitDepth)
        let size = header.decodedSize(covering: covering, bitDepth: bitDepth)
        var most = 0
        for (chain, formats) in drawn.map({ ($0.chain(of: header), $0.encodings(of: header)) })
            + plan.facts.chains(of: header).map({ ($0, []) })
        {
            let cost = try chain.memoryCost(
                of: size,
                originalSize: header.size,
                bitDepth: bitDepth,
                for: formats
            )
            most = max(most, cost)
        }
        var maps = 0
        for recipe in drawn { maps = max(maps, try recipe.gainMapCost(of: header)) }
        most = most.addingClamping(maps)
        for conversion in conversions { most = max(most, try conversion.memoryCost()) }
        bytes = max(decodeBytes, size.area.multipliedClamping(by: 4 * bitDepth / 8).addingClamping(most))
    }

    private static func covering(
        _ chains: [OperationChain],
        _ header: ImageHeader
    ) throws(ImagingError) -> PixelSize? {
        var covering = PixelSize(width: 1, height: 1)
        for chain in chains {
            let every = header.format.isDrawnPerOutput ? header.size : nil
            guard let needed = try chain.coveringSize(for: header.size) ?? every else { return nil }
            covering.width = max(covering.width, needed.width)
            covering.height = max(covering.height, needed.height)
        }
        return covering
    }
}
