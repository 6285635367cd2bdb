using System.Runtime.CompilerServices;
using HybridCaching.Records;
using HybridCaching.Tiering;

namespace HybridCaching;

public sealed partial class FasterDistributedCache
{
    /// <summary>The keys that a glob pattern describes. Walks all keys in no particular order, with bounded memory.</summary>
    /// <param name="glob">As in Redis: <c>*</c> any characters, <c>?</c> one, <c>[abc]</c>, <c>[a-z]</c>, <c>[^a]</c> one of a class, <c>\</c> takes the next character as it is.</param>
    /// <param name="cancellationToken">Ends the walk.</param>
    /// <returns>Every key that has a value all the time, at least once, unless the disk fails or does not answer where it is; keys stored or removed meanwhile perhaps.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="glob"/> is null.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed.</exception>
    public IAsyncEnumerable<string> ScanKeysAsync(string glob, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(glob);
        return Walk(KeyPattern.Glob(glob), cancellationToken);

        async IAsyncEnumerable<string> Walk(KeyPattern pattern, [EnumeratorCancellation] CancellationToken token)
        {
            await foreach (string key in _tiers.ScanAsync(pattern, isRemoval: false, token).ConfigureAwait(false))
            {
                var read = await _tiers.ReadAsync(key, new BytesRead(ValueBuffer.None, isQuiet: true), token).ConfigureAwait(false);
                if (read.IsHit) yield return key;
            }
        }
    }

    /// <summary>The entries whose keys a glob pattern describes, with their values. Prolongs nothing and is not counted as reads.</summary>
    /// <inheritdoc cref="ScanKeysAsync"/>
    public IAsyncEnumerable<KeyValuePair<string, byte[]>> ScanAsync(string glob, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(glob);
        return Walk(KeyPattern.Glob(glob), cancellationToken);

        async IAsyncEnumerable<KeyValuePair<string, byte[]>> Walk(KeyPattern pattern, [EnumeratorCancellation] CancellationToken token)
        {
            await foreach (string key in _tiers.ScanAsync(pattern, isRemoval: false, token).ConfigureAwait(false))
            {
                var read = await _tiers.ReadAsync(key, new BytesRead(ValueBuffer.Exact, isQuiet: true), token).ConfigureAwait(false);
                if (read.IsHit) yield return new(key, read.Buffer.Array!);
            }
        }
    }
}
