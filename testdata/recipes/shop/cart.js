import { rates } from './rates.js'

// The price of all that is in a cart, with its tax.
export function price (cart) {
  let sum = 0
  for (const item of cart.items) {
    if (item.count <= 0) {
      throw new Error('no items of ' + item.name)
    }
    sum += item.count * item.price
  }
  const tax = sum * rates[cart.country]
  return { sum, tax, total: sum + tax }
}

export class Cart {
  constructor (country) {
    this.country = country
    this.items = []
  }

  add (item) {
    this.items.push(item)
  }
}
