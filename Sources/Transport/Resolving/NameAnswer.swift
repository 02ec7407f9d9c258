import CTransport
import Glibc

/// The answer of the host file or the name servers about a name.
enum NameAnswer: Equatable {
    /// The name's addresses, and the seconds for which they are valid.
    case addresses(AddressList, timeToLive: Int)
    /// The name does not exist or has no address.
    case noAddress
    /// No name server answered, or none could: SERVFAIL, REFUSED.
    case failure(String)

    /// Reads a result of `ares_getaddrinfo`.
    init(status: Int32, _ result: UnsafeMutablePointer<ares_addrinfo>?) {
        switch status {
        case nb_ares_success:
            var list = AddressList()
            var timeToLive = Int(Int32.max)
            var node = result?.pointee.nodes
            while let current = node?.pointee {
                list.append(current.ai_addr)
                timeToLive = min(timeToLive, Int(current.ai_ttl))
                node = current.ai_next
            }
            var alias = result?.pointee.cnames
            while let current = alias?.pointee {
                timeToLive = min(timeToLive, Int(current.ttl))
                alias = current.next
            }
            self = list.isEmpty ? .noAddress : .addresses(list, timeToLive: timeToLive)
        case nb_ares_no_data, nb_ares_not_found, nb_ares_bad_name, nb_ares_no_name: self = .noAddress
        default: self = .failure(String(cString: ares_strerror(status)))
        }
    }

    /// Returns the answer for both families; an address of one is enough.
    func combined(with other: NameAnswer) -> NameAnswer {
        switch (self, other) {
        case (.addresses(let own, let time), .addresses(let others, let otherTime)):
            .addresses(own.combined(with: others), timeToLive: min(time, otherTime))
        case (.addresses, _): self
        case (_, .addresses): other
        case (.failure, _): self
        default: other
        }
    }
}

/// Addresses of a host in the order in which they are to be tried, as libcurl reads them: with commas between.
struct AddressList: Equatable {
    private(set) var text = ""
    /// True if the first address is of IPv6 and this machine has a route to it.
    private var isPreferred = false

    var isEmpty: Bool { text.isEmpty }

    /// The addresses of this machine, in libcurl's order.
    static let loopback: AddressList = {
        var list = AddressList()
        list.text = "[::1],127.0.0.1"
        return list
    }()

    init() {}

    mutating func append(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return }
        let isIPv6 = Int32(address.pointee.sa_family) == AF_INET6
        var buffer = [CChar](repeating: 0, count: Int(NB_ADDRESS_TEXT))
        guard nb_address_text(address, &buffer) == 0 else { return }
        let name = buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        if text.isEmpty { isPreferred = isIPv6 && nb_has_route(address) == 1 }
        text += (text.isEmpty ? "" : ",") + (isIPv6 ? "[\(name)]" : name)
    }

    /// IPv6 first if there is a route to it (RFC 6724); libcurl tries the other family after 200 ms.
    func combined(with other: AddressList) -> AddressList {
        let (first, last) = other.isPreferred ? (other, self) : (self, other)
        var result = first
        result.text += ",\(last.text)"
        return result
    }
}
