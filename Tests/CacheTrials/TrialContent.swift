public import Foundation

/// Bytes that say which version of which key they are, and of which each can be checked.
public enum TrialContent {
    /// The bytes of `version` of `key`, 40 bytes to some kilobytes by the version.
    public static func data(_ key: String, version: Int) -> Data {
        var data = Data("\(key) \(version)\n".utf8)
        var state = UInt64(version) &* 0x9e37_79b9_7f4a_7c15
        for _ in 0..<(5 + version % 400) {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            withUnsafeBytes(of: state) { data.append(contentsOf: $0) }
        }
        return data
    }

    /// The version of `key` that `data` is; nil if a single byte of it is not as it was made.
    public static func version(of data: Data, _ key: String) -> Int? {
        guard let end = data.firstIndex(of: 10), let line = String(data: data[..<end], encoding: .utf8),
            line.hasPrefix(key + " "), let version = Int(line.dropFirst(key.utf8.count + 1)),
            data == self.data(key, version: version)
        else { return nil }
        return version
    }
}
