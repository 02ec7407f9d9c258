import CTransport
import Glibc

/// Trouble on the way out of this machine, which concerns every host: the proxy, and the certificate authorities.
extension TransportError {
    /// The error of a transfer that failed for such a trouble; nil if its failure concerns the host.
    ///
    /// The result is `CURLE_OK` if there was an answer.
    static func local(
        _ result: CURLcode,
        _ facts: nb_transfer_facts,
        isProxied: Bool,
        configuration: TransportConfiguration
    ) -> TransportError? {
        switch result {
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_PEER_FAILED_VERIFICATION:
            let problem = configuration.certificateProblem
            // The file may have come back meanwhile: then the next try finds it.
            let isFile = result != CURLE_PEER_FAILED_VERIFICATION
            guard let text = problem ?? (isFile ? "the certificate authorities cannot be read" : nil) else {
                return nil
            }
            return TransportError(.local(errno: ENOENT), text)
        case CURLE_COULDNT_RESOLVE_PROXY:
            return TransportError(
                .local(errno: EHOSTUNREACH),
                "the name of the proxy does not resolve: correct network.proxy"
            )
        default: break
        }
        guard isProxied else { return nil }
        // 407 is the proxy's own word; 401, 405 and 501 are that for the method CONNECT. A 403 may be about the host alone.
        if result == CURLE_OK
            ? facts.response_code == 407 : [401, 405, 407, 501].contains(facts.connect_code)
        {
            let status = result == CURLE_OK ? 407 : facts.connect_code
            let remedy =
                status == 407
                ? "put the right user and password into its URL, in network.proxy or the environment"
                : "ask its administrator, or take another one in network.proxy"
            return TransportError(
                .local(errno: EACCES),
                "the proxy refuses this machine (\(status)): \(remedy)"
            )
        }
        if result == CURLE_COULDNT_CONNECT, facts.connect_code == 0, facts.proxy_error == 0 {
            return TransportError(
                .local(errno: ECONNREFUSED),
                "the proxy cannot be reached: correct network.proxy, or see that it runs"
            )
        }
        if result == CURLE_PROXY, !targetTroubles.contains(UInt32(truncatingIfNeeded: facts.proxy_error)) {
            return TransportError(
                .local(errno: EACCES),
                "the proxy refuses this machine (SOCKS): correct the user, the password or the kind in network.proxy"
            )
        }
        return nil
    }

    /// The words of a SOCKS proxy about the host that it was to connect to.
    private static let targetTroubles: Set<UInt32> = Set(
        [
            CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_NETWORK_UNREACHABLE, CURLPX_REPLY_CONNECTION_REFUSED,
            CURLPX_REPLY_TTL_EXPIRED, CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_RESOLVE_HOST, CURLPX_CLOSED,
            CURLPX_RECV_CONNECT, CURLPX_RECV_ADDRESS,
        ].map(\.rawValue)
    )
}
