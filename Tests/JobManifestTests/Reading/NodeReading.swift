@testable import JobManifest

/// A JSON text as the node that readers of single values take, and the errors that they report.
struct NodeReading {
    let node: ManifestNode
    private let reading: ManifestReading

    /// Takes `json` apart as a row in `/srv/job`.
    init(_ json: String) throws {
        var json = json
        let document = try json.withUTF8 { try JSONParser.parse($0) }
        reading = ManifestReading(rowIn: "/srv/job")
        node = ManifestNode(value: document.root, path: .top, reading: reading)
    }

    /// The errors so far, each as `path: message`.
    var errors: [String] { reading.issues.map { "\($0.path): \($0.message)" } }
}
