import Foundation

/// The libraries of faults that a program can be started with (`Tests/Faults/preloads`).
public enum Faults {
    /// Builds the library `name` into `folder` and answers with what `LD_PRELOAD` is to be for it.
    ///
    /// Libraries that are already preloaded, such as the thread sanitizer's helper, stay.
    /// - Throws: `CacheTrial.Failure` if there is no C compiler, or it fails.
    public static func build(_ name: String = "faults", in folder: String) throws -> String {
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Faults/preloads/\(name).c").path
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let library = "\(folder)/\(name).so"
        compiler.arguments = ["clang", "-O1", "-shared", "-fPIC", "-o", library, source]
        try compiler.run()
        compiler.waitUntilExit()
        guard compiler.terminationStatus == 0 else {
            throw CacheTrial.Failure(description: "clang cannot build \(source)")
        }
        let loaded = ProcessInfo.processInfo.environment["LD_PRELOAD"]
        return [library, loaded].compactMap(\.self).joined(separator: ":")
    }
}
