import { rates } from './rates.js'

export class Offer {
  worth () {
    let sum = 0
    for (const part of this.parts) {
      if (part.count <= 0) {
        throw new Error('no parts of ' + part.name)
      }
      sum += part.count * part.price
    }
    sum -= this.discount
    const tax = sum * rates[this.country]
    return { sum, tax, total: sum + tax }
  }
}
