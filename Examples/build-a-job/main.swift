// Makes thumbnails of images by URL or path, and continues where it was interrupted: build-a-job URL…

// sample
import NukeBatch

let small = ManifestOutput(
    processors: [.resize(Resize(width: 320))],
    format: .encoded(.webp()),
    path: "{stem}.{ext}"
)
let manifest = try Manifest(
    sources: [.urls(Array(CommandLine.arguments.dropFirst()))],
    outputs: [small],
    destination: "thumbnails",
    state: "thumbnails.sqlite",
    loading: LoadingSettings { $0.rate = Rate(count: 20, seconds: 1) }
)
let runner = try BatchRunner(manifest: manifest) { event in
    if case .itemFinished(let item) = event, item.error != nil { print(item) }
}
let report = try await runner.run()
print("\(report.made) made, \(report.failed) failed, \(report.left) left")
// end
