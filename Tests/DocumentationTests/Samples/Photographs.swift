import Foundation
import Imaging
import LoopbackServer
import Nuke
import Synchronization
import TestSupport

/// The photographs that the samples and guides load from a server on loopback.
enum Photographs {
    /// A photograph of 640 by 480 pixels.
    static func jpeg(isProgressive: Bool = false) throws -> Data {
        let photo = try Imaging.ImageDecoder.decode(try Repository.photo("hubble_deep_field.jpg"))
        let part = try Crop(width: 640, height: 480).apply(to: photo)
        return try Imaging.ImageEncoder.encode(
            part,
            as: .jpeg(JPEGOptions(quality: 85, progressive: isProgressive))
        )
    }

    /// A server that gives the photograph at every path but `/missing`, and takes ranges.
    static func server() throws -> LoopbackServer {
        let photo = try jpeg()
        return try LoopbackServer { request in
            request.path == "/missing"
                ? .status(404) : .resource(photo, type: "image/jpeg", etag: "\"1\"", for: request)
        }
    }

    /// A server of the progressive photograph in four pieces, and the delegate by which they come one after the other.
    static func pieceByPiece() throws -> (LoopbackServer, PieceByPiece) {
        let gates = (0..<4).map { _ in Gate() }
        let photo = try jpeg(isProgressive: true)
        let size = photo.count / gates.count + 1
        let pieces = stride(from: 0, to: photo.count, by: size).map {
            Data(photo[$0..<min($0 + size, photo.count)])
        }
        let server = try LoopbackServer { _ in
            .init(
                headers: [("Content-Type", "image/jpeg")],
                body: .pieces(pieces),
                hold: {
                    if case .beforePiece(let number) = $0 { gates[number].wait() }
                }
            )
        }
        return (server, PieceByPiece(gates))
    }
}

/// Lets the first piece of a photograph come when a task begins, and each further one after a preview.
final class PieceByPiece: ImagePipeline.Delegate {
    private let closed: Mutex<ArraySlice<Gate>>

    fileprivate init(_ gates: [Gate]) { closed = Mutex(gates[...]) }

    func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
        switch event {
        case .started, .preview: closed.withLock { $0.popFirst() }?.open()
        case .progress, .finished: break
        }
    }
}

/// The display for the images of samples.
final class Screen: Sendable {
    private let shown = Mutex<[PlatformImage]>([])

    var images: [PlatformImage] { shown.withLock { $0 } }

    func show(_ image: PlatformImage) { shown.withLock { $0.append(image) } }
}
