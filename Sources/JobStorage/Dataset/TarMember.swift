import Files
package import Foundation

/// A file within a tar archive, in the format that POSIX.1-2017 calls ustar (pax, "ustar Interchange Format").
///
/// A name that ustar cannot hold gets an extended header (pax) before its own. Nothing but name and content is in a header: equal
/// members have equal bytes wherever and whenever they are made.
package enum TarMember {
    /// The size in bytes of the blocks that make up an archive; contents are padded to whole blocks.
    package static let blockSize = 512
    /// The end of an archive: two blocks of zeros.
    package static let end = Data(count: 2 * blockSize)
    /// The largest size that the header's eleven octal digits can express, in bytes.
    private static let largestSize = 1 << 33 - 1
    /// The header's field for the name, in bytes.
    private static let longestName = 100

    /// All that stands before the content of a file `name` of `size` bytes.
    package static func header(name: String, size: Int) -> Data {
        var records = Data()
        if name.utf8.count > longestName || !name.utf8.allSatisfy({ $0 < 0x80 }) {
            records += record("path", name)
        }
        if size > largestSize { records += record("size", String(size)) }
        let short = Data(name.utf8.prefix(longestName))
        let own = block(name: short, size: size > largestSize ? 0 : size, type: "0")
        guard !records.isEmpty else { return own }
        let extended = block(
            name: Data("PaxHeaders/\(name)".utf8.prefix(longestName)),
            size: records.count,
            type: "x"
        )
        return extended + records + padding(after: records.count) + own
    }

    /// A file `name` in blocks of its own.
    package static func whole(name: String, _ content: Data) -> Data {
        header(name: name, size: content.count) + content + padding(after: content.count)
    }

    /// The zeros that fill the last block of `size` bytes.
    package static func padding(after size: Int) -> Data {
        Data(count: (blockSize - size % blockSize) % blockSize)
    }

    /// A header's block.
    private static func block(name: Data, size: Int, type: Character) -> Data {
        var block = Data(count: blockSize)
        func put(_ bytes: some Collection<UInt8>, at offset: Int) {
            block.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        }
        func octal(_ number: Int, digits: Int) -> String.UTF8View {
            String(number, radix: 8).leftPadded(to: digits, with: "0").utf8
        }
        put(name, at: 0)
        put(octal(0o644, digits: 7), at: 100)
        for (offset, digits) in [(108, 7), (116, 7), (136, 11), (329, 7), (337, 7)] {
            // User, group, time, and the two numbers of a device.
            put(octal(0, digits: digits), at: offset)
        }
        put(octal(size, digits: 11), at: 124)
        put(String(type).utf8, at: 156)
        put("ustar\0".utf8, at: 257)
        put("00".utf8, at: 263)
        // The sum of the block's bytes, its own field counted as spaces.
        put("        ".utf8, at: 148)
        let sum = block.reduce(0) { $0 + Int($1) }
        put(octal(sum, digits: 6), at: 148)
        put([0], at: 154)
        return block
    }

    /// A record of an extended header, which begins with its own length.
    private static func record(_ key: String, _ value: String) -> Data {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        while String(length).utf8.count + rest.utf8.count != length {
            length = String(length).utf8.count + rest.utf8.count
        }
        return Data("\(length)\(rest)".utf8)
    }
}
