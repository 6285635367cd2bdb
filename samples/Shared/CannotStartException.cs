namespace Samples.Shared;

/// <summary>What the user asked for cannot be done; the message is the one line they see.</summary>
internal sealed class CannotStartException(string message) : Exception(message);
